import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // For these two see the configuration of the root.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--max-semi-space-size=64"],
    // The files of a worker share its modules: what tests need is made in them, and loading takes long.
    isolate: false,
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
