import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    isolate: false,
    // Bridges are processes of their own, which start slowly on a busy machine; every test ends by itself.
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
