import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    name: "@tapeline/quant",
    // A property at full counts on a busy machine; every test ends by itself.
    testTimeout: 120_000
  }
})
