import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see the configuration of the root.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Every response that a test sees is one that the document describes.
    setupFiles: ["test/support/validateResponses.ts"],
    // The files of a worker share its modules: nothing here keeps state outside a test, and loading takes long.
    isolate: false,
    // Fifty cuts of one answer, several times over, on a busy machine; every test ends by itself.
    testTimeout: 120_000
  }
})
