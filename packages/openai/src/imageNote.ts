/** What a model that sees no images is told of them; empty without any. */
export const imageNote = (images: number): string =>
  images === 0 ? "" : `\n\n[${images === 1 ? "1 image" : `${images} images`} not shown: this model reads no images]`
