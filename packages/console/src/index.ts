export { readConsole, readStaticFiles, type StaticFile } from "./readStaticFiles.ts"
