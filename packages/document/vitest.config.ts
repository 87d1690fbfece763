import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // A linter in a process of its own, on a busy machine.
    testTimeout: 60_000
  }
})
