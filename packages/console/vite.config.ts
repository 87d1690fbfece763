import react from "@vitejs/plugin-react"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

const service = "http://127.0.0.1:8787"

/** How the pages are built, and served while they are written (`npm run dev`), beside a service of its own. */
export default defineConfig({
  root: fileURLToPath(new URL("browser", import.meta.url)),
  base: "/app/",
  plugins: [react()],
  build: {
    target: "es2023",
    // The policy lets no font and no style come out of a text of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false
  },
  server: { proxy: { "/v1": service, "/healthz": service } }
})
