import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see vitest.workspace.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The files of a worker share its modules: nothing here keeps state outside a test.
    isolate: false,
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
