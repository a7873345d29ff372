/** Headers of uploaded pictures, so that browsers never treat one as a page or a script. */
export const PICTURE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}
