import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Node's own loader: see vitest.workspace.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    // Bridges are processes of their own, which start slowly on a busy machine; every test ends by itself.
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
