// The map of a training set and of an input beside it, on a canvas: thousands of points are too many for elements. The
// program gives the places and is told which record was picked.
const margin = 16;
const near = 14; // pixels from a point that still mean it

// The colours of the kinds of points, in the order in which they are drawn.
const kinds = ["--borderline", "--inside", "--borderline", "--outside"];

const states = new WeakMap();

// show draws data into a canvas:
//
//	training, places  pairs of x and y, bytes of float32; NaN for no place
//	kind              of each record: 1 inside, 2 borderline, 3 outside, 0 others
//	chosen            a record by its number among these, −1 for none
//	tell(record)      gives the text and the picture beside it, pick(record) is told of a click
function show(canvas, { training, places, kind, chosen, tell, pick }) {
  const map = states.get(canvas) || begin(canvas);
  if (map.kind?.length !== kind.length) hover(map, -1); // other records
  const pairs = (bytes) => new Float32Array(bytes.slice().buffer);
  Object.assign(map, { training: pairs(training), places: pairs(places), kind: kind.slice(), chosen, tell, pick });
  map.box = boxOf(map.training, map.places);
  map.redraw();
}

// zoom magnifies a map around its middle; 0 shows all of it.
function zoom(canvas, factor) {
  const map = states.get(canvas);
  if (map) zoomAt(map, factor, canvas.clientWidth / 2, canvas.clientHeight / 2);
}

function begin(canvas) {
  const map = { canvas, scale: 1, x: 0, y: 0, hover: -1, pointers: new Map(), due: false };
  map.redraw = () => {
    if (!map.due) requestAnimationFrame(() => draw(map));
    map.due = true;
  };
  states.set(canvas, map);
  new ResizeObserver(map.redraw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", map.redraw);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(map, Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
  });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    map.pointers.set(event.pointerId, event);
    map.moved = map.pointers.size > 1;
  });
  canvas.addEventListener("pointermove", (event) => move(map, event));
  canvas.addEventListener("pointerleave", () => hover(map, -1));
  canvas.addEventListener("pointercancel", (event) => map.pointers.delete(event.pointerId));
  canvas.addEventListener("pointerup", (event) => {
    map.pointers.delete(event.pointerId);
    const record = nearest(map, event.offsetX, event.offsetY);
    if (!map.moved && record >= 0) map.pick(record);
  });
  return map;
}

// move shows what the pointer is at, drags with one finger, and magnifies with two.
function move(map, event) {
  const before = map.pointers.get(event.pointerId);
  if (!before) return hover(map, nearest(map, event.offsetX, event.offsetY));
  const other = [...map.pointers.values()].find((p) => p.pointerId !== event.pointerId);
  if (other) {
    const apart = (p) => Math.hypot(p.offsetX - other.offsetX, p.offsetY - other.offsetY);
    zoomAt(map, apart(event) / (apart(before) || 1), (event.offsetX + other.offsetX) / 2, (event.offsetY + other.offsetY) / 2);
  } else {
    const [dx, dy] = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    if (!map.moved && Math.hypot(dx, dy) < 4) return;
    map.moved = true;
    map.x += dx;
    map.y += dy;
    map.redraw();
  }
  map.pointers.set(event.pointerId, event);
}

function zoomAt(map, factor, x, y) {
  const scale = factor ? Math.min(Math.max(map.scale * factor, 1), 400) : 1;
  map.x = scale === 1 ? 0 : x - ((x - map.x) * scale) / map.scale;
  map.y = scale === 1 ? 0 : y - ((y - map.y) * scale) / map.scale;
  map.scale = scale;
  map.redraw();
}

function boxOf(...lists) {
  const box = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
  for (const list of lists) {
    for (let i = 0; i < list.length; i += 2) {
      if (!(Math.abs(list[i]) < Infinity && Math.abs(list[i + 1]) < Infinity)) continue;
      box.left = Math.min(box.left, list[i]);
      box.right = Math.max(box.right, list[i]);
      box.low = Math.min(box.low, list[i + 1]);
      box.high = Math.max(box.high, list[i + 1]);
    }
  }
  return box;
}

// pointing gives the place of a point on the screen.
function pointing({ canvas, box, scale, x, y }) {
  const across = (scale * (canvas.clientWidth - 2 * margin)) / (box.right - box.left || 1);
  const up = (scale * (canvas.clientHeight - 2 * margin)) / (box.high - box.low || 1);
  const [left, top] = [x + scale * margin - across * box.left, y + scale * margin + up * box.high];
  return (list, i) => [left + across * list[2 * i], top - up * list[2 * i + 1]];
}

// nearest is the record at a place of the screen, −1 for none.
function nearest(map, x, y) {
  const at = pointing(map);
  let [best, least] = [-1, near * near];
  for (let i = 0; i < map.kind.length; i++) {
    const [left, top] = at(map.places, i);
    const square = (left - x) ** 2 + (top - y) ** 2;
    if (square < least) [best, least] = [i, square];
  }
  return best;
}

function hover(map, record) {
  const tip = map.canvas.nextElementSibling;
  map.hover = record;
  tip.hidden = record < 0;
  map.canvas.style.cursor = record < 0 ? "grab" : "pointer";
  if (record < 0) return;
  const [x, y] = pointing(map)(map.places, record);
  const { text, picture } = map.tell(record);
  tip.textContent = text;
  tip.insertAdjacentHTML("beforeend", picture);
  const right = x > map.canvas.clientWidth / 2;
  tip.style.translate = `calc(${Math.round(x)}px ${right ? "- 100% - 12px" : "+ 12px"}) ${Math.round(y) - 12}px`;
}

function draw(map) {
  const { canvas, training, places, kind, chosen } = map;
  map.due = false;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  const colour = (name) => style.getPropertyValue(name);
  const at = pointing(map);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  paint(pen, map, at, colour);
  if (map.hover >= 0) hover(map, map.hover); // its verdict and place may have changed
  canvas.dataset.shown = kind.filter((_, i) => places[2 * i] === places[2 * i]).length;
  if (chosen < 0) return;
  const [x, y] = at(places, chosen);
  canvas.dataset.chosen = `${Math.round(x)} ${Math.round(y)}`;
  pen.strokeStyle = colour("--ink");
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x, y, 9, 0, 2 * Math.PI);
  pen.stroke();
}

// paint draws the training set, and the records by kind.
function paint(pen, { training, places, kind }, at, colour) {
  pen.fillStyle = colour("--known-line");
  for (let i = 0; i < training.length / 2; i++) {
    const [x, y] = at(training, i);
    pen.fillRect(x - 1, y - 1, 2, 2);
  }
  kinds.forEach((name, k) => {
    pen.fillStyle = colour(name);
    pen.beginPath();
    kind.forEach((is, i) => is === k && mark(pen, k, ...at(places, i)));
    pen.fill();
  });
}

// mark adds a verdict's shape: never colour alone.
function mark(pen, kind, x, y) {
  if (kind === 3) {
    pen.moveTo(x - 5, y);
    pen.lineTo(x, y - 5);
    pen.lineTo(x + 5, y);
    pen.lineTo(x, y + 5);
    pen.closePath();
  } else if (kind === 2) {
    pen.rect(x - 3.2, y - 3.2, 6.4, 6.4);
  } else {
    pen.moveTo(x + 3.6, y);
    pen.arc(x, y, 3.6, 0, 2 * Math.PI);
  }
}

globalThis.bacaMap = { show, zoom };
