import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see vitest.workspace.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The files of a worker share its modules: nothing here keeps state outside a test, and loading was a third of the time.
    isolate: false,
    // Short-lived bars fill a small young generation so often that its collection takes a sixth of the time.
    execArgv: ["--max-semi-space-size=64"],
    // Statistics need samples: at full counts a test may compute a million bars on a busy machine.
    testTimeout: 120_000
  }
})
