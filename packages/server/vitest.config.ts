import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // A larger young generation would let a thread that runs out of memory end the complete process.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Checks that the API document describes every response that a test receives.
    setupFiles: ["test/support/validateResponses.ts"],
    // Tests share loaded modules, because loading takes long and no module keeps state between tests.
    isolate: false,
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
