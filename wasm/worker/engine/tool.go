package engine

import "baca/wasm/message"

// A tool answers a question about the open input.
type tool struct {
	message.Tool
	answer func(*Engine, *task) (*message.Found, error)
}

// tools are those that need no form on the page.
func tools() []tool {
	return []tool{
		{message.Tool{
			Name: "drift", Title: "Drift", About: "Does the input, in its order, come from where the training set came from?", Button: "Look at them in their order",
		}, (*Engine).drifted},
	}
}

// ask answers by a tool.
func (e *Engine) ask(t *task, r *message.Ask) (*message.Found, error) {
	for _, o := range tools() {
		if o.Name == r.Tool {
			return o.answer(e, t)
		}
	}
	return nil, failf(message.CodeBadOption, "unknown tool %.40q", r.Tool)
}
