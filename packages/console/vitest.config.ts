import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // The files of a worker share its modules: tests keep no state in them, and loading takes long.
    isolate: false,
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/e2e/support/buildConsole.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
