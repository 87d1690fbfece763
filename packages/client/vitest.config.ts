import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // The tests use Node's own module loader, for the reason that `vitest.config.ts` in the root of the repository
    // states.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The setup file checks that every response in a test is a response that the OpenAPI document describes.
    setupFiles: ["test/support/validateResponses.ts"],
    // The test files of a worker share modules, because loading modules takes long and no module keeps state outside a
    // test.
    isolate: false,
    // The long timeout is for a test that cuts one answer many times on a busy machine. No test relies on the timeout
    // to end.
    testTimeout: 120_000,
    hookTimeout: 60_000
  }
})
