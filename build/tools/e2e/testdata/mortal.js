(() => {
	globalThis.theWorkers = [];
	const Real = Worker;
	globalThis.Worker = class extends Real {
		constructor(...args) {
			super(...args);
			if (String(args[0]).endsWith("/worker.js")) theWorkers.push(this);
		}
	};
})()
