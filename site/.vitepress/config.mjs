// Node reads the TypeScript module directly, because the address is not a literal that VitePress would bundle.
const address = new URL("../../packages/scripts/src/site/siteConfig.ts", import.meta.url)
const { siteConfig } = await import(address.href)

export default siteConfig
