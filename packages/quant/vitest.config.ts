import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see vitest.workspace.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    name: "@tapeline/quant",
    // The files of a worker share its modules: nothing here keeps state outside a test, and loading was a third of the time.
    isolate: false,
    // A property at full counts on a busy machine; every test ends by itself.
    testTimeout: 120_000
  }
})
