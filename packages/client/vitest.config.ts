import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader is used for the reason given in the configuration of the root.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Every response in a test must be one that the OpenAPI document describes.
    setupFiles: ["test/support/validateResponses.ts"],
    // The files of a worker share modules, because no module keeps state outside a test and loading takes long.
    isolate: false,
    // A test cuts one answer many times on a busy machine, and every test ends without the timeout.
    testTimeout: 120_000
  }
})
