// The folder public is what esbuild makes.
export default { publicDir: false };
