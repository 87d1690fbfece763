/** GeckoTerminal's names of chains that DexScreener names differently. */
const geckoNetworks: Readonly<Record<string, string>> = {
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

const chainsByNetwork = new Map(Object.entries(geckoNetworks).map(([own, gecko]) => [gecko, own]))

export const geckoNetwork = (chain: string): string => geckoNetworks[chain] ?? chain
export const chainOfNetwork = (network: string): string => chainsByNetwork.get(network) ?? network
