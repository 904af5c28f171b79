package molecule

// What the tests of ranks see of a Draft.

func (p *Draft) RankAlways()          { p.cip.general = true }
func (p *Draft) ForgetRanks()         { p.cip.order = p.cip.order[:0] }
func (p *Draft) Ranked() bool         { return len(p.cip.order) > 0 }
func (p *Draft) RankAtoms()           { p.rankAtoms() }
func (p *Draft) RerankAtoms()         { p.rerankAtoms() }
func (p *Draft) RankSeeds() []uint64  { return p.cip.single }
func (p *Draft) RankOf(i int32) int32 { return p.cip.ranks[i] }
func (p *Draft) LabelR(i int)         { p.Atoms[i].cip = cipR }
