import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // The test files share one module cache, because loading the modules takes long and no test keeps state in a
    // module.
    isolate: false,
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/e2e/support/buildConsole.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
