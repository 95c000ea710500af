export { AnimationMixer, Box3, Color, DirectionalLight, HemisphereLight, GridHelper, LoopRepeat, Mesh, MeshStandardMaterial, OrthographicCamera, PerspectiveCamera, PlaneGeometry, Scene, SkeletonHelper, Vector3, WebGLRenderer, PCFSoftShadowMap, ShadowMaterial, LineSegments, BufferGeometry, BufferAttribute, LineBasicMaterial, DoubleSide, Group, Fog } from "three";
export { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
