export { layerOpenAiEmbeddings, type OpenAiEmbeddingsOptions } from "./layerOpenAiEmbeddings.ts"
export { layerOpenAiModel } from "./layerOpenAiModel.ts"
export {
  type Effort,
  efforts,
  InvalidOpenAiOptions,
  type OpenAiModelOptions,
  openAiUrl,
  type Patience,
  type Prices,
  problemOfBaseUrl,
  problemOfKey,
  type ProviderOptions
} from "./options.ts"
