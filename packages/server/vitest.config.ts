import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see the configuration of the root. A larger young generation would let a thread that runs out of its
    // memory end the whole process.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Every response that a test sees is one that the document describes.
    setupFiles: ["test/support/judged.ts"],
    // The files of a worker share its modules: what tests need is made in them, and loading takes long.
    isolate: false,
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
