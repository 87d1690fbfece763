import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see vitest.workspace.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The files of a worker share its modules: nothing here keeps state outside a test, and loading was a third of the time.
    isolate: false,
    // Statistics need samples: at full counts a test may compute a million bars on a busy machine.
    testTimeout: 120_000
  }
})
