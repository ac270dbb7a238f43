import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.firmquote.client.ApiClient;
import org.firmquote.client.ApiException;
import org.firmquote.client.api.AuthorizationApi;
import org.firmquote.client.api.QuotesApi;
import org.firmquote.client.api.TransactionsApi;
import org.firmquote.client.model.ExecuteRequest;
import org.firmquote.client.model.ExecuteRequestExpect;
import org.firmquote.client.model.FixedSide;
import org.firmquote.client.model.Quote;
import org.firmquote.client.model.QuoteRequest;
import org.firmquote.client.model.TokenRequest;
import org.firmquote.client.model.Transaction;

/** Trades with the generated client: token, quote, execution, transaction. Prints what came of it as JSON. */
public class Trade {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    URI service = URI.create(System.getenv("FIRMQUOTE_BASE_URL"));
    client.setScheme(service.getScheme()).setHost(service.getHost()).setPort(service.getPort());
    String token =
        new AuthorizationApi(client)
            .createToken(
                new TokenRequest()
                    .clientId(System.getenv("FIRMQUOTE_CLIENT_ID"))
                    .clientSecret(System.getenv("FIRMQUOTE_CLIENT_SECRET"))
                    .audience(System.getenv("FIRMQUOTE_AUDIENCE"))
                    .grantType(TokenRequest.GrantTypeEnum.CLIENT_CREDENTIALS))
            .getAccessToken();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));

    // A key stands for one thing that is wanted: made anew for it, kept with it, and sent again with each attempt.
    UUID orderId = UUID.randomUUID();
    QuotesApi quotes = new QuotesApi(client);
    QuoteRequest order =
        new QuoteRequest().sellCurrency("USD").buyCurrency("EUR").fixedSide(FixedSide.SELL).amount("1000.00");
    Quote quote = quotes.createQuote(order, "quote-" + orderId, null);

    // A quote's status is checked before it is executed; If-Match executes the version that was looked at.
    var checked = quotes.getQuoteWithHttpInfo(quote.getQuoteId(), null, null);
    Quote terms = checked.getData();
    if (terms.getStatus() != Quote.StatusEnum.OPEN) throw new IllegalStateException(terms.getStatus().toString());
    String version = checked.getHeaders().get("etag").get(0);
    ExecuteRequest request =
        new ExecuteRequest()
            .clientReference("from Java")
            .expect(new ExecuteRequestExpect().sellAmount(terms.getSellAmount()).buyAmount(terms.getBuyAmount()));
    Transaction booked =
        quotes.executeQuote(quote.getQuoteId(), "execute-" + orderId, version, null, request);
    Transaction transaction = new TransactionsApi(client).getTransaction(booked.getTransactionId(), null, null);

    ObjectMapper json = new ObjectMapper();
    Object refusal = null;
    try {
      quotes.executeQuote(quote.getQuoteId(), "execute-again-" + orderId, null, null, null);
    } catch (ApiException error) {
      refusal = json.readTree(error.getResponseBody()).get("code").textValue();
    }

    Map<String, Object> done = new LinkedHashMap<>();
    done.put("quoteId", transaction.getQuoteId());
    done.put("transactionId", transaction.getTransactionId());
    done.put("sellAmount", transaction.getSellAmount());
    done.put("buyAmount", transaction.getBuyAmount());
    done.put("status", transaction.getStatus().getValue());
    done.put("clientReference", transaction.getClientReference());
    done.put("refusal", refusal);
    System.out.println(json.writeValueAsString(done));
  }
}
