/**
 * Words of three languages as one pattern: whole words of English, stems of Korean, to which particles are attached,
 * and beginnings of Russian words, which are inflected.
 */
export const words = (english: string, korean: string, russian: string, flags = "iu"): RegExp =>
  new RegExp(
    `(?<![a-zа-я0-9])(?:${english})(?![a-zа-я])|${korean}|(?<![a-zа-я])(?:${russian})`,
    flags
  )
