import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // The `vitest.config.ts` in the root of the repository explains the next two options.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--max-semi-space-size=64"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Checks that the API document describes every response that a test receives.
    setupFiles: ["test/validateResponses.ts"],
    // Tests share loaded modules, because loading took a third of the time, and no module keeps state between tests.
    isolate: false
  }
})
