import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see vitest.workspace.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A linter in a process of its own, on a busy machine.
    testTimeout: 60_000
  }
})
