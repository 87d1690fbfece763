import react from "@vitejs/plugin-react"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

const service = "http://127.0.0.1:8787"

/** The widgets with large imports, which are files of their own. */
const largeWidgets = /\/(CheckboxGroups|Chips|DataTable|LiveOrPast|TabPanels|fields)\./

const isSmallPart = (id: string): boolean =>
  /\/lucide-react\/dist\/esm\/icons\/|\/browser\/(access|i18n|requests|widgets)\//.test(id) && !largeWidgets.test(id)

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
    // With one style sheet, no page waits for styles when it opens within the console.
    cssCodeSplit: false,
    manifest: true,
    rolldownOptions: {
      output: {
        // Each group is one file with all its imports: the first requests, the code that every page needs, and small
        // modules of several pages. A browser has six connections, and each file costs a round trip.
        codeSplitting: {
          groups: [
            { name: "start", test: /browser\/(start|i18n\/storedLanguage)\.ts$|vite\/preload-helper/, priority: 2 },
            { name: "app", test: /browser\/app\/mount\.tsx$/, priority: 1 },
            { name: "parts", test: isSmallPart, minShareCount: 2 }
          ]
        }
      }
    },
    // The licences of the bundled packages require their texts in each copy.
    license: { fileName: "licenses.md" },
    reportCompressedSize: false
  },
  server: { proxy: { "/v1": service, "/healthz": service } }
})
