new Promise((done) => {
	const selector = %q;
	const look = () => {
		const e = document.querySelector(selector);
		e?.scrollIntoViewIfNeeded();
		const r = e?.getBoundingClientRect();
		const x = r?.x + r?.width / 2, y = r?.y + r?.height / 2;
		if (!e || !e.contains(document.elementFromPoint(x, y))) {
			requestAnimationFrame(look);
			return;
		}
		globalThis.testHit = false;
		globalThis.testAim?.abort();
		globalThis.testAim = new AbortController();
		for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
			addEventListener(kind, (event) => {
				if (event.target.closest(selector) !== document.querySelector(selector)) {
					event.stopImmediatePropagation();
					event.preventDefault();
				} else if (kind === "click") testHit = true;
			}, { capture: true, signal: testAim.signal });
		}
		done([x, y]);
	};
	look();
})
