import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Loading modules takes long, and tests keep no state in modules.
    isolate: false,
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/e2e/support/buildConsole.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
