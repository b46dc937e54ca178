//! Web Push: messages to browsers that subscribed, encrypted for each (RFC 8291) and signed with the monitor's key (VAPID,
//! RFC 8292). The push service in between sees neither text nor address of the dashboard.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use coordination::alerts::{MessageForm, OutboxMessage};
use coordination::api::PushSubscription;
use coordination::digest::digest_hex;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

use super::request::{RequestContext, WebhookRequest, cut};
use crate::config::{AlertLanguage, PushSettings, WebhookTarget};

/// Longest message before its encryption: push services take 4,096 bytes with everything.
const MAX_PAYLOAD_BYTES: usize = 3_900;
/// Bytes of the one record (RFC 8188).
const RECORD_BYTES: u32 = 4_096;
/// For so long the push service keeps a message for a browser that is off, seconds.
const TTL_SECONDS: u32 = 24 * 60 * 60;
/// A signature holds for so long, seconds; push services take a day at most.
const SIGNATURE_SECONDS: u64 = 12 * 60 * 60;
/// Browsers that can subscribe.
pub(super) const MAX_SUBSCRIBERS: usize = 100;
const MAX_NAME_CHARS: usize = 80;
/// Hosts of the push services of Chrome, Edge, Firefox and Safari; with a dot at the beginning, those below it.
const PUSH_HOSTS: [&str; 4] =
    ["fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com"];

/// Cryptography failed: a key is not valid, or the system gives no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the message cannot be encrypted or signed: a key is not valid")]
pub(super) struct CryptoError;

impl From<ring::error::Unspecified> for CryptoError {
    fn from(_: ring::error::Unspecified) -> Self {
        Self
    }
}

/// The browser that a message is for.
#[derive(Debug, Clone)]
pub(super) struct PushTarget {
    pub(super) subscription: PushSubscription,
    /// The monitor's key, as the outbox has it.
    pub(super) pkcs8: String,
    /// Tag of the notification: a later one with the same replaces it.
    pub(super) tag: String,
}

impl PushTarget {
    /// Its language, if the browser named one.
    pub(super) fn language(&self) -> Option<AlertLanguage> {
        match self.subscription.language.as_deref() {
            Some("ko") => Some(AlertLanguage::Ko),
            Some("en") => Some(AlertLanguage::En),
            _ => None,
        }
    }
}

/// A new key of this monitor, as the outbox has it.
pub(super) fn new_key() -> Result<String, CryptoError> {
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())?;
    Ok(STANDARD.encode(pkcs8.as_ref()))
}

/// The public key for `PushManager.subscribe`.
pub(super) fn public_key(pkcs8: &str) -> Result<String, CryptoError> {
    Ok(URL_SAFE_NO_PAD.encode(key_pair(pkcs8)?.public_key().as_ref()))
}

fn key_pair(pkcs8: &str) -> Result<EcdsaKeyPair, CryptoError> {
    let pkcs8 = STANDARD.decode(pkcs8).map_err(|_| CryptoError)?;
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &pkcs8, &SystemRandom::new()).map_err(|_| CryptoError)
}

/// Id of a subscription. A browser that subscribes again with the same address is the same.
pub(super) fn subscription_id(endpoint: &str) -> String {
    digest_hex(endpoint, 16)
}

/// The push service of a subscription: scheme, host and port.
pub(super) fn service(subscription: &PushSubscription) -> String {
    // A wrong address is refused where it is sent to.
    WebhookTarget::new(&subscription.endpoint, None).map(|target| target.origin()).unwrap_or_default()
}

/// The subscription with its texts cut, or why it is not taken. A page names the address that the monitor then sends to, so
/// only those of push services are taken.
pub(super) fn checked(
    subscription: PushSubscription,
    settings: &PushSettings,
) -> Result<PushSubscription, &'static str> {
    let target = WebhookTarget::new(&subscription.endpoint, None).map_err(|_| "endpoint must be an https address")?;
    let origin = target.origin();
    let is_named = settings.services.iter().any(|service| service.trim_end_matches('/') == origin);
    let host = origin.strip_prefix("https://").unwrap_or_default();
    let is_known = |known: &&str| host == *known || (known.starts_with('.') && host.ends_with(*known));
    if !is_named && !PUSH_HOSTS.iter().any(is_known) {
        return Err("endpoint is not at a push service that the monitor knows; alerts.sinks services can name others");
    }
    let is_point = decoded(&subscription.keys.p256dh).is_some_and(|key| key.len() == 65 && key[0] == 4);
    if !is_point || decoded(&subscription.keys.auth).is_none_or(|auth| auth.len() != 16) {
        return Err("keys must be those of a push subscription: p256dh of 65 bytes and auth of 16, in base64url");
    }
    let language = subscription.language.filter(|language| ["ko", "en"].contains(&language.as_str()));
    let endpoint = subscription.endpoint.trim().to_owned();
    let name: String = subscription.name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
    Ok(PushSubscription { endpoint, language, name: name.trim().to_owned(), ..subscription })
}

/// Bytes of base64url, with or without padding.
fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

/// Tag of the notification of a message.
pub(super) fn tag(message: &OutboxMessage) -> String {
    match message.keys.as_slice() {
        [one] => one.clone(),
        [] => "test".to_owned(),
        _ => format!("many-{}", message.id),
    }
}

/// The request that sends a message to a browser.
pub(super) fn push_request(
    target: &PushTarget,
    settings: &PushSettings,
    context: RequestContext<'_>,
    message: &OutboxMessage,
) -> Result<WebhookRequest, CryptoError> {
    let endpoint = &target.subscription.endpoint;
    let is_over = message.form == MessageForm::Over;
    let is_calm = is_over || matches!(message.form, MessageForm::Many | MessageForm::Recap);
    let urgency = if is_calm { "normal" } else { "high" };
    Ok(WebhookRequest {
        method: "POST",
        url: endpoint.clone(),
        headers: vec![
            ("authorization", authorization(endpoint, &settings.contact, &target.pkcs8)?),
            ("content-encoding", "aes128gcm".to_owned()),
            ("content-type", "application/octet-stream".to_owned()),
            ("ttl", TTL_SECONDS.to_string()),
            ("urgency", urgency.to_owned()),
            // A browser that was off gets only the newest about a matter.
            ("topic", digest_hex(&target.tag, 32)),
        ],
        body: encrypted(&target.subscription, &payload(target, context, message))?,
    })
}

/// What the service worker shows (`public/sw.js`).
fn payload(target: &PushTarget, context: RequestContext<'_>, message: &OutboxMessage) -> Vec<u8> {
    let mut body = context.plain_text(message, false);
    loop {
        let payload = json!({
            "title": context.words(message).title,
            "body": body,
            "tag": target.tag,
            "path": context.main_path(message),
            "over": message.form == MessageForm::Over,
        });
        let payload = payload.to_string().into_bytes();
        if payload.len() <= MAX_PAYLOAD_BYTES || body.is_empty() {
            return payload;
        }
        let half = body.len() / 2;
        body = cut(body, half);
    }
}

/// The header by which the push service knows this monitor.
fn authorization(endpoint: &str, contact: &str, pkcs8: &str) -> Result<String, CryptoError> {
    let target = WebhookTarget::new(endpoint, None).map_err(|_| CryptoError)?;
    // Signatures hold by the clock of the push service, not by that of a rehearsed home.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let claims = json!({ "aud": target.origin(), "exp": now.saturating_add(SIGNATURE_SECONDS), "sub": contact });
    let header = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let pair = key_pair(pkcs8)?;
    let signature = pair.sign(&SystemRandom::new(), signed.as_bytes())?;
    let public = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
    Ok(format!("vapid t={signed}.{}, k={public}", URL_SAFE_NO_PAD.encode(signature.as_ref())))
}

/// A body that only the browser can read.
fn encrypted(subscription: &PushSubscription, payload: &[u8]) -> Result<Vec<u8>, CryptoError> {
    let random = SystemRandom::new();
    let receiver = decoded(&subscription.keys.p256dh).ok_or(CryptoError)?;
    let auth = decoded(&subscription.keys.auth).ok_or(CryptoError)?;
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let own_public = own.compute_public_key()?;
    let mut salt = [0; 16];
    random.fill(&mut salt)?;
    let peer = UnparsedPublicKey::new(&ECDH_P256, &receiver);
    agree_ephemeral(own, &peer, |shared| {
        sealed(&SharedSecret { shared, auth: &auth, receiver: &receiver, own: own_public.as_ref(), salt }, payload)
    })?
}

/// Inputs of the encryption.
struct SharedSecret<'a> {
    /// What both sides compute from the two key pairs.
    shared: &'a [u8],
    /// Secret of the browser.
    auth: &'a [u8],
    /// Public key of the browser, and of this message.
    receiver: &'a [u8],
    own: &'a [u8],
    salt: [u8; 16],
}

/// One record of `aes128gcm` (RFC 8188) with the keys of RFC 8291, section 3.4.
fn sealed(secret: &SharedSecret<'_>, payload: &[u8]) -> Result<Vec<u8>, CryptoError> {
    let info = [&b"WebPush: info\0"[..], secret.receiver, secret.own].concat();
    let input: [u8; 32] = expand(&Salt::new(HKDF_SHA256, secret.auth).extract(secret.shared), &info)?;
    let keys = Salt::new(HKDF_SHA256, &secret.salt).extract(&input);
    let key: [u8; 16] = expand(&keys, b"Content-Encoding: aes128gcm\0")?;
    let nonce: [u8; 12] = expand(&keys, b"Content-Encoding: nonce\0")?;
    // 2: the last record, without padding.
    let mut text = [payload, &[2]].concat();
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut text)?;
    let length = u8::try_from(secret.own.len()).map_err(|_| CryptoError)?;
    Ok([&secret.salt[..], &RECORD_BYTES.to_be_bytes(), &[length], secret.own, &text].concat())
}

fn expand<const N: usize>(keys: &Prk, info: &[u8]) -> Result<[u8; N], CryptoError> {
    struct Length<const N: usize>;
    impl<const N: usize> KeyType for Length<N> {
        fn len(&self) -> usize {
            N
        }
    }
    let mut out = [0; N];
    keys.expand(&[info], Length::<N>)?.fill(&mut out)?;
    Ok(out)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        decoded(text).expect("base64url")
    }

    #[test]
    fn record_is_that_of_rfc_8291() {
        let receiver = bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4");
        let own = bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let secret = SharedSecret {
            shared: &bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"),
            auth: &bytes("BTBZMqHH6r4Tts7J_aSIgg"),
            receiver: &receiver,
            own: &own,
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().expect("16 bytes"),
        };
        let record = sealed(&secret, b"When I grow up, I want to be a watermelon").expect("sealed");
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(record), expected);
    }

    /// A browser at `endpoint` whose messages nobody can read.
    pub(in crate::core::alerts) fn subscription(endpoint: &str) -> PushSubscription {
        let p256dh =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4".to_owned();
        let keys = coordination::api::PushKeys { p256dh, auth: "BTBZMqHH6r4Tts7J_aSIgg==".to_owned() };
        let name = "Chrome · Android".to_owned();
        PushSubscription {
            endpoint: endpoint.to_owned(),
            keys,
            name,
            language: Some("en".to_owned()),
            updated_by: None,
        }
    }

    #[test]
    fn subscriptions_are_those_of_push_services() {
        let settings =
            PushSettings { contact: "mailto:a@b".to_owned(), services: vec!["http://127.0.0.1:9".to_owned()] };
        let taken = |endpoint: &str| checked(subscription(endpoint), &settings).is_ok();
        for endpoint in [
            "https://fcm.googleapis.com/fcm/send/x",
            "https://updates.push.services.mozilla.com/wpush/v2/x",
            "https://web.push.apple.com/x",
            "https://wns2-par02p.notify.windows.com/w/?token=x",
            "http://127.0.0.1:9/x",
        ] {
            assert!(taken(endpoint), "{endpoint}");
        }
        for endpoint in [
            "http://fcm.googleapis.com/x",
            "https://fcm.googleapis.com.evil.example/x",
            "https://evilfcm.googleapis.com/x",
            "https://fcm.googleapis.com:8443/x",
            "https://push.services.mozilla.com@127.0.0.1/x",
            "https://169.254.169.254/latest/.push.apple.com",
            "http://127.0.0.1:99/x",
            "",
        ] {
            assert!(!taken(endpoint), "{endpoint}");
        }
        let mut short = subscription("https://web.push.apple.com/x");
        short.keys.auth = "BTBZ".to_owned();
        assert!(checked(short, &settings).is_err());
    }

    #[test]
    fn signature_names_service_contact_and_key() {
        let pkcs8 = new_key().expect("a key");
        let header = authorization("https://web.push.apple.com/x/y", "mailto:ops@example.org", &pkcs8).expect("signed");
        let (token, key) = header.strip_prefix("vapid t=").and_then(|rest| rest.split_once(", k=")).expect("two parts");
        assert_eq!(Ok(key.to_owned()), public_key(&pkcs8));
        let (signed, signature) = token.rsplit_once('.').expect("a signature");
        let verifier = ring::signature::UnparsedPublicKey::new(&ring::signature::ECDSA_P256_SHA256_FIXED, bytes(key));
        verifier.verify(signed.as_bytes(), &bytes(signature)).expect("a valid signature");
        let claims: serde_json::Value =
            serde_json::from_slice(&bytes(signed.split_once('.').expect("claims").1)).expect("claims");
        assert_eq!(
            (&claims["aud"], &claims["sub"]),
            (&json!("https://web.push.apple.com"), &json!("mailto:ops@example.org"))
        );
    }
}
