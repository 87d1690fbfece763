export { layerSandbox, type SandboxOptions } from "./layerSandbox.ts"
