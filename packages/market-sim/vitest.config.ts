import { defineConfig } from "vitest/config"

/** Statistics need samples: at full counts a test may compute a million bars on a busy machine. */
export default defineConfig({ test: { testTimeout: 120_000 } })
