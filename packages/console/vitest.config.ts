import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/e2e/support/buildConsole.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
