export { layerOpenIdProvider, type OpenIdOptions } from "./layerOpenIdProvider.ts"
