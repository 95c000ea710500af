"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const fail = (text) => { byId("wrong").textContent = text; byId("wrong").hidden = false; };
  const data = JSON.parse(byId("motion").textContent);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const stage = document.querySelector("main");
  let renderer;
  try {
    renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  } catch (_error) {
    fail("This browser cannot draw in three dimensions: WebGL is missing or switched off.");
    return;
  }
  stage.prepend(renderer.domElement);
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  const scene = new THREE.Scene();
  const sky = new THREE.HemisphereLight(0xe0e8f4, 0x8a8074, 1.5);
  const sun = new THREE.DirectionalLight(0xfff4e6, 2.2);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.normalBias = 0.02;
  scene.add(sky, sun, sun.target);
  const free = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
  const orbit = new THREE.OrbitControls(free, renderer.domElement);
  const bytes = Uint8Array.from(atob(data.glb), (letter) => letter.charCodeAt(0));

  new THREE.GLTFLoader().parse(bytes.buffer, "", (gltf) => begin(gltf).catch((error) => fail("The motion cannot be shown: " + error.message)),
    (error) => fail("The motion cannot be read: " + error.message));

  async function begin(gltf) {
    scene.add(gltf.scene);
    const count = (gltf.parser.json.nodes || []).length;
    const nodes = await Promise.all(Array.from({ length: count }, (_each, number) => gltf.parser.getDependency("node", number)));
    gltf.scene.traverse((each) => {
      if (each.isMesh) { each.castShadow = each.receiveShadow = true; each.frustumCulled = false; }
    });
    // From joint to joint: figures of rigid parts have no skin, which three's own helper would ask for.
    const holders = new Set(data.figures.map((number) => nodes[number]));
    const linked = nodes.filter((each) => !each.isMesh && !each.isCamera && nodes.includes(each.parent) && !holders.has(each.parent));
    const ends = new THREE.BufferAttribute(new Float32Array(6 * linked.length), 3);
    const bones = new THREE.LineSegments(new THREE.BufferGeometry().setAttribute("position", ends),
      new THREE.LineBasicMaterial({ depthTest: false }));
    bones.visible = bones.frustumCulled = false;
    bones.renderOrder = 1;
    scene.add(bones);
    const joint = new THREE.Vector3();
    const drawBones = () => {
      linked.forEach((each, number) => {
        joint.setFromMatrixPosition(each.parent.matrixWorld).toArray(ends.array, 6 * number);
        joint.setFromMatrixPosition(each.matrixWorld).toArray(ends.array, 6 * number + 3);
      });
      ends.needsUpdate = true;
    };
    const mixer = new THREE.AnimationMixer(gltf.scene);
    let clip = 0, frame = 0, playing = false, looping = true, last = 0, camera = free, action = null;
    const rate = () => data.clips[clip].fps;
    const final = () => data.clips[clip].count - 1;

    function seek(at) {
      frame = Math.min(Math.max(at, 0), final());
      if (action) { action.time = frame / rate(); mixer.update(0); }
      gltf.scene.updateMatrixWorld(true);
      drawBones();
      byId("scrub").value = Math.round(frame);
      byId("now").textContent = `Frame ${Math.round(frame)} of ${final()}, ${(frame / rate()).toFixed(2)} s`;
    }
    function choose(number) {
      clip = number;
      mixer.stopAllAction();
      action = gltf.animations.length ? mixer.clipAction(gltf.animations[number]) : null;
      if (action) { action.play(); action.paused = true; }
      byId("scrub").max = final();
      byId("rate").textContent = `${data.clips[clip].name}, ${+rate().toFixed(3)} fps`;
      seek(0);
    }
    function play(on) {
      playing = on && final() > 0;
      if (playing && frame >= final()) seek(0);
      byId("play").textContent = playing ? "Pause" : "Play";
      last = performance.now();
    }
    data.clips.forEach((each, number) => byId("clip").add(new Option(each.name, number)));
    byId("clip").hidden = data.clips.length < 2;
    choose(0);

    // What stands around the figures is not what is framed: hills may go on for a kilometre.
    const around = new Set();
    for (const number of data.ground) nodes[number].traverse((each) => around.add(each));
    const box = new THREE.Box3();
    const below = new THREE.Box3();
    for (let step = 0; step <= 8; step += 1) {
      seek((final() * step) / 8);
      gltf.scene.traverse((each) => {
        if (!each.isMesh) return;
        if (each.isSkinnedMesh) each.computeBoundingBox();
        (around.has(each) ? below : box).expandByObject(each);
      });
    }
    if (box.isEmpty()) box.copy(below);
    seek(0);
    const middle = box.getCenter(new THREE.Vector3());
    const size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-3);
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(200 * size, 200 * size), new THREE.MeshStandardMaterial({ roughness: 1 }));
    floor.geometry.rotateX(-Math.PI / 2);
    floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...data.floor.normal));
    // Under ground that dips below the floor the floor would hide it.
    floor.position.y = Math.min(data.floor.height, below.isEmpty() ? data.floor.height : below.min.y) - 0.001 * size;
    floor.receiveShadow = true;
    const cells = Math.ceil(4 * size);
    const grid = new THREE.GridHelper(2 * cells, 2 * cells * (cells < 40 ? 2 : 1));
    grid.material.transparent = true;
    grid.material.opacity = 0.35;
    grid.material.vertexColors = false;
    grid.position.y = data.floor.height;
    grid.quaternion.copy(floor.quaternion);
    grid.visible = floor.position.y > data.floor.height - 0.01 * size;
    scene.add(floor, grid);
    sun.target.position.copy(middle);
    sun.position.set(-0.62, 1.05, 0.55).normalize().multiplyScalar(2 * size).add(middle);
    Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 5 * size });
    sun.shadow.camera.updateProjectionMatrix();

    function paint() {
      scene.background = new THREE.Color(style("horizon"));
      scene.fog = new THREE.Fog(scene.background, 3 * size, 9 * size);
      floor.material.color = new THREE.Color(style("ground"));
      grid.material.color = new THREE.Color(style("grid"));
      grid.material.needsUpdate = true;
      bones.material.color = new THREE.Color(style("accent"));
    }
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", paint);
    paint();

    const away = { Free: [0.6, 0.25, 1], Front: [0, 0, 1], Side: [1, 0, 0], Top: [0, 1, 0.0001] };
    function view(name) {
      camera = name === "Camera" ? gltf.cameras[0] : free;
      orbit.enabled = camera === free;
      if (camera === free) {
        const back = new THREE.Vector3(...away[name]).normalize().multiplyScalar(0.62 * size / Math.sin((free.fov * Math.PI) / 360));
        orbit.target.copy(middle);
        free.position.copy(middle).add(back);
        free.near = size / 500;
        free.far = 200 * size;
        orbit.update();
      }
      for (const each of byId("views").children) each.setAttribute("aria-pressed", each.textContent === name);
      resize();
    }
    for (const name of [...Object.keys(away), ...(gltf.cameras.length ? ["Camera"] : [])]) {
      const button = document.createElement("button");
      button.textContent = name;
      button.addEventListener("click", () => view(name));
      byId("views").append(button, " ");
    }
    function resize() {
      renderer.setPixelRatio(devicePixelRatio);
      renderer.setSize(stage.clientWidth, stage.clientHeight);
      camera.aspect = stage.clientWidth / Math.max(stage.clientHeight, 1);
      camera.updateProjectionMatrix();
    }
    addEventListener("resize", resize);
    view("Free");

    const press = (id, on) => byId(id).setAttribute("aria-pressed", on);
    byId("play").addEventListener("click", () => play(!playing));
    byId("scrub").addEventListener("input", (event) => { play(false); seek(+event.target.value); });
    byId("clip").addEventListener("change", (event) => choose(+event.target.value));
    byId("loop").addEventListener("click", () => press("loop", looping = !looping));
    byId("bones").addEventListener("click", () => {
      bones.visible = !bones.visible;
      gltf.scene.traverse((each) => { if (each.isMesh) each.material.wireframe = bones.visible; });
      press("bones", bones.visible);
    });
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
      if (event.key === " " && event.target.tagName !== "BUTTON") play(!playing);
      else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        play(false);
        seek(Math.round(frame) + (event.key === "ArrowLeft" ? -1 : 1));
      } else if (event.key === "Home" || event.key === "End") { play(false); seek(event.key === "Home" ? 0 : final()); }
      else return;
      event.preventDefault();
    });
    renderer.setAnimationLoop((time) => {
      if (playing) {
        let next = frame + (Math.max(time - last, 0) / 1000) * rate() * +byId("speed").value;
        if (next > final()) {
          if (looping) next %= final();
          else { next = final(); play(false); }
        }
        last = time;
        seek(next);
      }
      if (camera === free) orbit.update();
      renderer.render(scene, camera);
    });
    const place = new THREE.Vector3();
    window.viewer = {
      seek, play, frame: () => frame, places: () => nodes.map((each) => each.getWorldPosition(place).toArray()),
      eye: () => [...free.position.toArray(), ...orbit.target.toArray()],
    };
    play(matchMedia("(prefers-reduced-motion: no-preference)").matches);
  }
})();
