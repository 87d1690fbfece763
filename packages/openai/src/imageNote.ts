/** A note about images for a model that does not read images; empty without images. */
export const imageNote = (images: number): string =>
  images === 0 ? "" : `\n\n[${images === 1 ? "1 image" : `${images} images`} not shown: this model reads no images]`
