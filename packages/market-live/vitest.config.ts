import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see vitest.workspace.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The files of a worker share its modules: nothing here keeps state outside a test, and loading was a third of the time.
    isolate: false,
    // A test of a fault suite is many faults over real sockets, which a busy machine takes a while for.
    testTimeout: 60_000
  }
})
