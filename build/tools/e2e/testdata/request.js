new Promise((done) => {
	const request = { baca: 1, id: "test " + Math.random(), ...%s };
	let Progress = 0;
	addEventListener("message", function take({ data }) {
		if (data.id !== request.id) return;
		if (data.progress) return void Progress++;
		removeEventListener("message", take);
		done(JSON.stringify({ Rows: data.rows?.length, Progress }));
	});
	document.getElementById("baca").contentWindow.postMessage(request, location.origin);
})
