// Package revision checks out another commit beside the working tree, for programs that compare the two.
package revision

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// Checkout checks out a revision of the repository in root into a new folder. remove removes the folder, even after ctx is
// done.
func Checkout(ctx context.Context, root, revision, folder string) (remove func(), err error) {
	if err := git(ctx, root, "add", "--detach", folder, revision); err != nil {
		return nil, fmt.Errorf("revision %s: %w", revision, err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		git(ctx, root, "remove", "--force", folder)
	}, nil
}

// git runs "git worktree" in root with these arguments. Errors have its output.
func git(ctx context.Context, root string, args ...string) error {
	c := exec.CommandContext(ctx, "git", append([]string{"worktree"}, args...)...)
	c.Dir = root
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("git worktree: %w\n%s", err, text)
	}
	return nil
}
