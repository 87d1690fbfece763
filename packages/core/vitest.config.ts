import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    name: "@tapeline/core",
    // Derived data over weeks of hours on a busy machine; every test ends by itself.
    testTimeout: 120_000
  }
})
