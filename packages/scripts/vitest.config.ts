import { defineConfig } from "vitest/config"

// Node's own loader: see vitest.workspace.ts.
export default defineConfig({
  test: {
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
