import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // The `vitest.config.ts` in the root of the repository explains the next two options.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--max-semi-space-size=64"],
    // The test files of a worker share loaded modules, because loading takes long. No module keeps state between tests.
    isolate: false,
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
