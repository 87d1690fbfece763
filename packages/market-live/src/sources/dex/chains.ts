/** Chains have the names that DexScreener uses. This table has GeckoTerminal's name where it differs. */
const geckoNames: Readonly<Record<string, string>> = {
  ethereum: "eth",
  polygon: "polygon_pos",
  avalanche: "avax",
  sui: "sui-network",
  fantom: "ftm",
  cronos: "cro",
  gnosischain: "xdai",
  moonbeam: "glmr",
  harmony: "one",
  starknet: "starknet-alpha"
}

const ownNames = new Map(Object.entries(geckoNames).map(([own, gecko]) => [gecko, own]))

export const geckoNetwork = (chain: string): string => geckoNames[chain] ?? chain
export const chainOfGecko = (network: string): string => ownNames.get(network) ?? network
