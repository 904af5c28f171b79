{
	let started = false;
	let ready;
	const first = new Promise((done) => (ready = done));
	const Plain = Worker;
	globalThis.Worker = class extends Plain {
		constructor(...args) {
			super(...args);
			started = true;
			this.addEventListener("message", ready);
		}
	};
	const Channel = MessageChannel; // by which the program waits for its turn
	globalThis.MessageChannel = class extends Channel {
		constructor() {
			super();
			const post = this.port2.postMessage.bind(this.port2);
			this.port2.postMessage = async (data) => {
				if (started) await first;
				post(data);
			};
		}
	};
}
