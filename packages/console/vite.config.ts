import react from "@vitejs/plugin-react"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

const service = "http://127.0.0.1:8787"

/** The Vite configuration of the console pages. `npm run dev` serves the pages next to a running service. */
export default defineConfig({
  root: fileURLToPath(new URL("browser", import.meta.url)),
  base: "/app/",
  plugins: [react()],
  build: {
    target: "es2023",
    // Fonts and styles are separate files, because the content security policy forbids inlining fonts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licences of the bundled packages require their texts in each copy.
    license: { fileName: "licenses.md" },
    reportCompressedSize: false
  },
  server: { proxy: { "/v1": service, "/healthz": service } }
})
