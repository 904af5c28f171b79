new Promise((done) => {
	const end = performance.now(), what = [];
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			if (e.startTime >= end) return done(what);
			if (e.value > 0.001) what.push(e.value + " by " + e.sources.map((s) => (s.node?.outerHTML ?? "gone").slice(0, 80)));
		}
	}).observe({ type: "layout-shift", buffered: true });
	requestAnimationFrame(() => { document.body.style.paddingTop = "200px"; });
})
