import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // For these two see the configuration of the root.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--max-semi-space-size=64"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Every response that a test sees is one that the document describes.
    setupFiles: ["test/judged.ts"],
    // The files of a worker share its modules: nothing here keeps state outside a test, and loading was a third of the time.
    isolate: false
  }
})
