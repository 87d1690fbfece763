export { layerOpenAiEmbeddings, type OpenAiEmbeddingsOptions } from "./layerOpenAiEmbeddings.ts"
export { layerOpenAiModel } from "./layerOpenAiModel.ts"
export {
  type Effort,
  efforts,
  findBaseUrlProblem,
  findKeyProblem,
  InvalidOpenAiOptions,
  type OpenAiModelOptions,
  openAiUrl,
  type Prices,
  type ProviderOptions,
  type Timeouts
} from "./options.ts"
