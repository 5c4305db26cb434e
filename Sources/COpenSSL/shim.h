#ifndef RESPITE_COPENSSL_SHIM_H
#define RESPITE_COPENSSL_SHIM_H
/* EC_KEY: see respite_make_p256_key. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* What OpenSSL has as macros or with variable arguments. */

static inline long respite_ssl_ctx_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }

static inline int respite_ssl_ctx_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int respite_ssl_ctx_set_max_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

/* The groups for the exchange of keys, by names. */
static inline int respite_ssl_ctx_set_groups(SSL_CTX *context, const char *names) {
    return (int)SSL_CTX_set1_groups_list(context, names);
}

/* The server chooses, and chooses ChaCha20 for clients that prefer it for want of hardware. */
static inline uint64_t respite_ssl_server_options(void) {
    return SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;
}

/* Neither compression nor renegotiation. */
static inline uint64_t respite_ssl_options(void) { return SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION; }

static inline long respite_ssl_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int respite_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline void respite_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void respite_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline int respite_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

/* The kind of a name (GEN_DNS, GEN_IPADD ...) and, for those two, its bytes. */
static inline int respite_name_bytes(
    const GENERAL_NAMES *names, int index, const unsigned char **bytes, int *count) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    *bytes = NULL;
    *count = 0;
    if (!name || (name->type != GEN_DNS && name->type != GEN_IPADD)) return name ? name->type : -1;
    const ASN1_STRING *text = name->type == GEN_DNS ? name->d.dNSName : name->d.iPAddress;
    *bytes = ASN1_STRING_get0_data(text);
    *count = ASN1_STRING_length(text);
    return name->type;
}

static inline int respite_err_reason(unsigned long code) { return ERR_GET_REASON(code); }

static inline int respite_err_library(unsigned long code) { return ERR_GET_LIB(code); }

/* A new P-256 key. From EVP_EC_gen it would be the provider's alone, and OpenSSL 3.0 encodes and decodes such a key anew
   for each certificate that is made for it: four fifths of what a certificate costs. */
static inline EVP_PKEY *respite_make_p256_key(void) {
    EVP_PKEY *made = EVP_PKEY_new();
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    if (made && key && EC_KEY_generate_key(key) == 1 && EVP_PKEY_assign_EC_KEY(made, key) == 1) return made;
    EC_KEY_free(key);
    EVP_PKEY_free(made);
    return NULL;
}

static inline int respite_names_push(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name);
}

/* Of name constraints: how many subtrees are permitted, or excluded; the kind and bytes of one as respite_name_bytes has
   them, an address with its mask behind it. */
static inline int respite_subtree_count(const void *constraints, int is_excluded) {
    const NAME_CONSTRAINTS *all = (const NAME_CONSTRAINTS *)constraints;
    return sk_GENERAL_SUBTREE_num(is_excluded ? all->excludedSubtrees : all->permittedSubtrees);
}

static inline int respite_subtree(
    const void *constraints, int is_excluded, int index, const unsigned char **bytes, int *count) {
    const NAME_CONSTRAINTS *all = (const NAME_CONSTRAINTS *)constraints;
    const GENERAL_SUBTREE *one =
        sk_GENERAL_SUBTREE_value(is_excluded ? all->excludedSubtrees : all->permittedSubtrees, index);
    const GENERAL_NAME *name = one ? one->base : NULL;
    *bytes = NULL;
    *count = 0;
    if (!name || (name->type != GEN_DNS && name->type != GEN_IPADD)) return name ? name->type : -1;
    const ASN1_STRING *text = name->type == GEN_DNS ? name->d.dNSName : name->d.iPAddress;
    *bytes = ASN1_STRING_get0_data(text);
    *count = ASN1_STRING_length(text);
    return name->type;
}

static inline void respite_free_constraints(void *constraints) { NAME_CONSTRAINTS_free((NAME_CONSTRAINTS *)constraints); }

static inline int respite_mbstring_utf8(void) { return MBSTRING_UTF8; }

/* What was written to a BIO in memory. */
static inline long respite_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

/* Another reference to what a connection shows as its own certificate chain. */
static inline int respite_ssl_add_chain_certificate(SSL *ssl, X509 *certificate) {
    return (int)SSL_add1_chain_cert(ssl, certificate);
}
#endif
