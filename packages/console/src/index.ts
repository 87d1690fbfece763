export { type ConsoleFile, readConsole } from "./readConsole.ts"
